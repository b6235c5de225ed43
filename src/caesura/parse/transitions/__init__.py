"""Transition systems, one file a system: configuration, legal transitions, application, oracle."""
