// Package sessions tells the logging sessions: who logs what until when, and those that
// ended.
package sessions
