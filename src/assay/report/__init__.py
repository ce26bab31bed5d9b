"""The sign-off as people and machines read it: HTML, JSON, JUnit and text."""
