"""Parts that the steps of every workflow share: events of a step, work that is done once, services of flows."""
