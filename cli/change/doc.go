// Package change has the commands that change policies, or show what a change would do.
// Each hands a mutation to the engine's gate, shows its preview, has it confirmed, makes
// it, and waits until the rows of every zone show it (makeChange).
package change
