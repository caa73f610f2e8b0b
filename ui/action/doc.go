// Package action is the table of everything a user can do. It is the single source of key bindings, footer
// hints, the help overlay, the command palette and docs/keys.md; no other package compares a key.
//
// Invariants: an id is unique and stable (users' configuration files have it); within one scope no two actions
// share a key; an action that changes something names its engine operation, and is disabled with the reason if
// changes are not allowed.
//
// Each view's actions are a list here, named in ScopedActions. action may import engine, model and ui/nav;
// every other package of ui may import it.
package action

//go:generate go test . -run TestDocs -update
