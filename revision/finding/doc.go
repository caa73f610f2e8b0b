// Package finding gives the findings of a revision: of its objects, of the verdicts of all
// connections, and of the zones compared with each other.
//
// Invariants: nobody waits for findings on a screen, where those worked out last are shown
// and said to be old. It imports revision, revision/liverows, revision/flows and model.
// revision/connections, the gate, the engine, pages, ui and cli may import it.
package finding

//go:generate go test . -run TestFindingsDoc -update
