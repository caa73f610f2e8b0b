// Package zones is the view of the Northbound databases: how each is reached,
// how old what is known of it is, what waits to be written, and how every
// policy stands in every zone.
//
// See package ui for the rules of views.
package zones
