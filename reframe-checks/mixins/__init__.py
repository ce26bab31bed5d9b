"""What some checks need: each mixin says one thing, and is named before the class that it joins."""
