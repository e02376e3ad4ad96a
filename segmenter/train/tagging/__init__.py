"""Character taggers in readable form: features, trainers, and compiling to what the engine runs."""
