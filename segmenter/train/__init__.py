"""Trainers, their corpora and the scores; the engine never imports this package."""
