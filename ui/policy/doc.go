// Package policy has the pages about one object. A policy: its summary and state, and in tabs its rules, its
// subject pods, its YAML, its state and differences in every zone, and its findings. A pod: every rule that
// touches it, as subject or as peer, in order of precedence, its networks and its logical port in each zone.
//
// See package ui for the rules of views.
package policy
