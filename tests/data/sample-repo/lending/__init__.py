"""A small library desk."""

from lending.desk import Desk

__all__ = ["Desk"]
