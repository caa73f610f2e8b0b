// Package below reads what lies below the Northbound databases of zones: their Southbound
// databases with the logical flows, the meters of the datapath, and what programs print in
// the ovnkube-node pods.
//
// Invariants: a Southbound database is followed only while somebody wants its flows; rows
// and flows are held against each other beside the loop, from revisions; nothing is
// written.
//
// The engine and its parts import it; it imports engine/loop, engine/zones, engine/logs,
// revision and the sources it reads.
package below
