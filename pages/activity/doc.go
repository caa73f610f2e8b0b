// Package activity tells what Rung did: to the zones, to the policies, with the commands
// that do the same by hand.
package activity
