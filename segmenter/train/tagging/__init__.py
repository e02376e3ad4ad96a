"""Character taggers in readable form: features, trainers, and the compiler for the engine."""
