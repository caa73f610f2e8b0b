// Package health is how an engine is, for those who watch it by HTTP: metrics, /healthz
// and /readyz, and the list of what is left unwritten.
//
// Invariants: it reads revisions and changes nothing; the number of series is bounded,
// whatever log lines say.
//
// The engine makes it, cli serves it; it imports engine/loop, engine/ownership,
// engine/logs and revision.
package health
