package nb

// OpKind is the kind of an OVSDB operation (RFC 7047 §5.2).
type OpKind string

// The operations Rung uses.
const (
	OpInsert OpKind = "insert"
	OpUpdate OpKind = "update"
	OpMutate OpKind = "mutate"
	OpDelete OpKind = "delete"
	OpSelect OpKind = "select"
	// OpWait lets the transaction go on only if the row is as the operation
	// says, now: it never waits (RFC 7047 §5.2.6 with a timeout of 0).
	OpWait OpKind = "wait"
)

// Ref is a reference to a row in a set column: a _uuid, or the UUIDName of an
// insert of the same transaction.
type Ref struct {
	UUID string
	// Name is set instead of UUID for a row inserted in the same transaction.
	Name string
}

// Mutation inserts into or deletes from a column. For a set, Strings or Refs is
// set; for a map, Pairs, or Strings with the keys to delete. An insert leaves
// what a map has under a key as it is: to set a key, delete it first.
type Mutation struct {
	Column  string
	Insert  bool // false deletes
	Strings []string
	Refs    []Ref
	Pairs   map[string]string
}

// Op is one operation on one row, addressed by its UUID (never by name: a
// server finds a _uuid at once and scans for everything else).
type Op struct {
	Kind     OpKind
	Table    string
	UUID     string // the row, for all but insert
	UUIDName string // for insert: the name Refs of this transaction use
	// Row has the columns to write: string, int, bool, []string (set), []Ref
	// (set of references), map[string]string, or nil for "no value". For wait it
	// has the columns that must be exactly so; nil leaves it to Has.
	Row map[string]any
	// Has are, for wait, pairs that map columns of the row must hold, by column;
	// other keys of the map do not count.
	Has       map[string]map[string]string
	Mutations []Mutation
	// Policy says on whose behalf, for the activity log. Not sent.
	Policy string
}

// OpResult is what the server answered for one operation.
type OpResult struct {
	Count int    // rows touched by update, mutate, delete; none by wait
	UUID  string // of an inserted row
	Error string // the server's error and details, empty when it worked
}
