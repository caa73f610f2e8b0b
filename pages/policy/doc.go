// Package policy shows one policy: its subject, its rules, its logging, and the state of its rows in every
// zone.
package policy
