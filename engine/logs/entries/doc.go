// Package entries is one line of the ACL log and what is known about it: the rule that decided,
// the pods at its ends (AddressBook knows who had an address when), as a sentence, and as a filter
// sees it.
//
// Invariants: an Entry is never changed once it is stored; its text was cleaned.
//
// It imports revision and model. engine/logs, ui and cli import it.
package entries
