// Package policy has the pages about one object. A policy: what it is and how it stands, and in parts
// its rules, its subject pods, its YAML, its state in every zone with what differs there, and its
// findings. A pod: every rule that touches it, as subject or as peer, in the order in which they
// decide, its networks and its logical port in each zone.
//
// See package ui for the rules of views.
package policy
