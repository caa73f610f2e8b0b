// Package why walks the way from a policy to a line of the ACL log that is seen, and says how each
// step of it stands and what to do where one is wrong (CheckSteps), and which rules never get a
// connection to log (OverruledChecks).
//
// Invariants: it changes nothing; what is not known is said to be so, never guessed.
//
// It imports engine/logs, revision and model. ui and cli import it.
package why
