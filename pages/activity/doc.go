// Package activity tells what Rung did to zones and policies, with the commands that do the same
// by hand, and the logging sessions: who logs what until when, and which sessions ended.
package activity
