// Package sessions ends the logging sessions whose time is over, and remembers those that
// ended, whoever ended them.
//
// Invariants: it changes nothing but through the gate; a session that could not be ended
// is tried again, ever more seldom.
//
// The engine imports it; it imports engine/loop, change/gate and revision.
package sessions
