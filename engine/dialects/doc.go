// Package dialects finds out the options of the zones' OVN-Kubernetes and the network
// plugin whose precedence holds: by flags, by the cluster's configuration, and by the rows
// of others. Policies are compiled for the options of most zones; rows that cannot be
// compared with the desired ones are reported as such.
//
// Invariants: Dialects belongs to the loop alone, except for the methods that read rows
// beside it; a zone's first rows are never judged without their dialect; options change
// seldom, since all is compiled anew then.
//
// The engine imports it; it imports engine/loop, engine/zones, compiler, revision
// and sources/kube.
package dialects
