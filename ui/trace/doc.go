// Package trace has the pages about one connection. A trace shows whether the connection is let
// through and who decides, stage by stage and tier by tier, with the answer of the zones' rows
// beside it. While it is on the screen it is asked again after every change, and says its former
// answer. A probe shows what became of the connection as packets in the sandbox, packet by packet
// there and back.
//
// See package ui for the rules of views.
package trace
