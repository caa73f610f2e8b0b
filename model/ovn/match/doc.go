// Package match implements the language of ACL matches. It writes the matches that OVN-Kubernetes writes for
// AdminNetworkPolicy and its baseline (ovn-kubernetes.md#acl-match), for NetworkPolicy, EgressFirewall and
// multicast (ovn-kubernetes.md#rule-rows, #firewall-match, #multicast). It parses OVN's expression language
// and evaluates an expression for one packet.
//
// RuleMatch, LPort, L3, L4 and NamedMatch write matches; so do NetpolMatch, EFMatch, MulticastNS and their
// helpers. Parse parses, and keeps the layout, so String returns the text byte for byte. ParseNamedMatch parses what
// NamedMatch wrote. Eval judges a packet against port groups and address sets of an Env. Terms explains an
// expression for people, Refs lists what it refers to.
//
// Invariants: everything is pure and safe for concurrent use. An expression never changes after Parse. No
// input makes the package panic. An undecidable match is an error (ErrCannotJudge), never a silent false.
//
// Facts about the language come from the match column of table Logical_Flow in ovn-sb(5) and from the
// behaviour of OVN's own parser. "&&" and "||" do not mix without parentheses. "!" takes a parenthesised or
// bare operand. A comparison implies the prerequisites of its field even if negated. An expression with a
// missing address set is rejected as a whole.
//
// This package is a leaf: it imports no other package of Rung, and every package may import it.
package match
