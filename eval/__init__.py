"""What is measured and how: accuracy, speed, start, memory, growth with length (see README.md)."""
