// Package activity shows what Rung did to zones and policies, with equivalent commands, and the logging
// sessions: who logs what until when, and which sessions ended.
package activity
