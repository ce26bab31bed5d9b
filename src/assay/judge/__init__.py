"""The judgement: verdicts from samples and expectations, and the sign-off from all verdicts."""
