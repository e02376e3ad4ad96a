"""Speed against other segmenters, by the protocol that protocol.py states."""
