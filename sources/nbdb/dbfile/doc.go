// Package dbfile reads OVSDB database files without a server: the standalone and
// the clustered format of ovsdb(5), plain, compressed with gzip, or members of a
// tar archive, as a must-gather brings them. It finds them in folders, and makes
// a zone of one that is watched and never written. Southbound databases are read
// alike, as far as model/ovn/sb has their rows.
//
// The records of a file are replayed in order, each as a whole or not at all,
// with the row reader of sources/nbdb: a file gives the rows its server would
// give. Of a clustered file the entries count that it says are committed.
//
// Invariants: every record's hash is checked before it counts; a file that is
// damaged gives the rows of the records before the damage together with an error
// that names the place; sizes are bounded, and memory grows only with bytes that
// were really read; nothing is ever written.
//
// It may import the model packages, sources/nbdb and its jsonrpc; engine imports
// it.
package dbfile
