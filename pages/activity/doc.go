// Package activity tells what Rung did: to the zones, to the policies, with the commands
// that do the same by hand.
//
// Tells the logging sessions: who logs what until when, and those that
// ended.
package activity
