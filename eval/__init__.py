"""What is measured and how: accuracy, speed, start, memory, search, training (see README.md)."""
