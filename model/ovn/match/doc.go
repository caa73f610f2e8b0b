// Package match is the language of ACL matches: it writes the matches that
// OVN-Kubernetes writes for AdminNetworkPolicy and its baseline
// (ovn-kubernetes.md#acl-match), for NetworkPolicy, EgressFirewall and multicast
// (ovn-kubernetes.md#rule-rows, #firewall-match, #multicast), parses OVN's expression
// language and evaluates an expression for one packet.
//
// RuleMatch and the functions LPort, L3, L4 and NamedMatch write; so do NetpolMatch, EFMatch and
// MulticastNS with what belongs to them. Parse reads; it keeps the layout, so
// that String gives back the text byte for byte. ItemsOf reads what NamedMatch wrote. Eval judges a packet against
// port groups and address sets that an Env supplies. Terms takes an expression
// apart for people, Refs lists what it refers to.
//
// Invariants: everything is pure and safe for concurrent use; an expression is
// never changed after Parse made it; no input makes the package panic; what
// cannot be judged is an error (ErrCannotJudge), never a silent false.
//
// Facts about the language come from the match column of table Logical_Flow in
// ovn-sb(5) and from the behaviour of OVN's own parser: "&&" and "||" do not
// mix without parentheses, "!" takes a parenthesised or bare operand, a
// comparison implies the prerequisites of its field also when it is negated,
// and an expression that names an address set that does not exist is refused
// as a whole.
//
// This package is a leaf: it imports no other package of Rung and everybody may
// import it.
package match
