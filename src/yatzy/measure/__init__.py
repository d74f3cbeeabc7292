"""What a policy is worth: exactly, by pushing probability forward, and by seeded simulation."""
