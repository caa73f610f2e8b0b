// Package messages is the view of what the status line said: the last 200 messages, the newest
// first, each whole, with its time and the page where it arose.
//
// See package ui for the rules of views.
package messages
