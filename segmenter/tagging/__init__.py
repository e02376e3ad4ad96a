"""Character taggers: HMM, averaged perceptron and CRF over one model form."""
