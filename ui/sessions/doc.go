// Package sessions is the view of logging sessions: who logs what until when, in which zones
// the rows do, and which sessions ended.
//
// See package ui for the rules of views.
package sessions
