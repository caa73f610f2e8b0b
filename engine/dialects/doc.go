// Package dialects finds out what the zones' OVN-Kubernetes runs with, and whose
// precedence holds: by flags, by the cluster's configuration, and by the rows of others.
// What most zones say is compiled for; rows that cannot be compared with the desired ones
// are said to be so.
//
// Invariants: Dialects is the loop's alone, but for what reads rows beside it; a zone's
// first rows are never judged without their dialect; options change seldom, since all is
// compiled anew then.
//
// The engine imports it; it imports engine/loop, engine/zones, compiler, revision/settings
// and sources/kube.
package dialects
