// Package action is the table of everything a user can do. It is the single
// source of key bindings, footer hints, the help overlay, the command palette
// and docs/keys.md; no other package compares a key.
//
// Invariants: an id is stable (it stands in users' configuration files) and
// unique; within one scope no two actions share a key; an action that changes
// something names its engine operation, and is disabled with the reason where
// changes are not allowed.
//
// The actions of a view are a list of its own here, named in ScopedActions. It may import
// engine, model and ui/nav; every other package of ui may import it.
package action

//go:generate go test . -run TestDocs -update
