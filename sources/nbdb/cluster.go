package nbdb

import (
	"bytes"
	"fmt"

	"rung/sources/files"
)

// raftState is the state of a clustered file's log: its last and its uncommitted entries.
type raftState struct {
	end     int      // index of the last entry read, or of the snapshot
	pending [][]byte // data of the entries not yet applied, up to index end; nil for an entry without data
	bytes   int64    // in pending
	commits int      // number of commit records
}

// clusterRecord processes a record of the clustered format: first a header with a snapshot, then other kinds,
// told apart by their members. An entry with data changes the rows once a later record commits it. As in Raft,
// an entry with a repeated index replaces that entry and all behind it.
func (s *databaseState) clusterRecord(l *logReader, raw []byte) error {
	m, err := parseMembers(raw)
	switch {
	case err != nil:
		return err
	case l.records == 0:
		return s.takeHeader(m)
	case m.hasCommit:
		s.raft.commits++
		return s.commitTo(m.commit)
	case m.hasIndex:
		return s.takeEntry(m, l.max)
	}
	return nil // a term, vote, leader or note
}

// recordMembers are the members of a record that Rung reads.
type recordMembers struct {
	data, prevData                  []byte // views
	index, commit, prevIndex        int
	hasIndex, hasCommit, hasPrevIdx bool
}

func parseMembers(raw []byte) (m recordMembers, err error) {
	l := NewLexer(raw)
	l.Object(func(key []byte) {
		switch string(key) {
		case "index":
			m.index, m.hasIndex = l.Int(), true
		case "commit_index":
			m.commit, m.hasCommit = l.Int(), true
		case "prev_index":
			m.prevIndex, m.hasPrevIdx = l.Int(), true
		case "data":
			m.data = l.Raw()
		case "prev_data":
			m.prevData = l.Raw()
		default:
			l.Skip()
		}
	})
	if err := l.End(); err != nil {
		return m, fmt.Errorf("%w: %w", ErrContent, err)
	}
	return m, nil
}

// takeHeader processes the first record.
func (s *databaseState) takeHeader(m recordMembers) error {
	if m.prevData == nil || !m.hasPrevIdx {
		return fmt.Errorf("%w: its server had not joined the cluster yet, so it has no rows", ErrNotDatabase)
	}
	s.raft.end = m.prevIndex
	if err := s.applyTransaction(m.prevData); err != nil {
		return err
	}
	if s.name == "" {
		return fmt.Errorf("%w: the snapshot has no schema", ErrContent)
	}
	return nil
}

// takeEntry stores an entry of the log, to be applied when committed.
func (s *databaseState) takeEntry(m recordMembers, max int64) error {
	r := &s.raft
	first := r.end - len(r.pending) + 1 // the first index that may still change
	if m.index < first || m.index > r.end+1 {
		return fmt.Errorf("%w: entry %d, expected %d to %d", ErrContent, m.index, first, r.end+1)
	}
	for len(r.pending) > m.index-first {
		last := len(r.pending) - 1
		r.bytes -= int64(len(r.pending[last]))
		r.pending = r.pending[:last]
	}
	r.bytes += int64(len(m.data))
	if r.bytes > max {
		return fmt.Errorf("uncommitted entries are %w of %s", ErrTooLarge, files.SizeText(max))
	}
	r.pending = append(r.pending, bytes.Clone(m.data))
	r.end = m.index
	return nil
}

// commitTo applies the entries up to an index. A snapshot may be ahead of commits written before it.
func (s *databaseState) commitTo(index int) error {
	r := &s.raft
	if index > r.end {
		return fmt.Errorf("%w: commit of entry %d, but the last is %d", ErrContent, index, r.end)
	}
	for len(r.pending) > 0 && r.end-len(r.pending)+1 <= index {
		data := r.pending[0]
		if data != nil {
			if err := s.applyTransaction(data); err != nil {
				return fmt.Errorf("entry %d: %w", r.end-len(r.pending)+1, err)
			}
		}
		r.bytes -= int64(len(data))
		r.pending = r.pending[1:]
	}
	return nil
}

// applyTransaction applies a <cluster-txn>: [schema or null, transaction or null]. A schema starts an empty
// database.
func (s *databaseState) applyTransaction(data []byte) error {
	var schema, txn []byte
	l := NewLexer(data)
	n := 0
	l.Array(func() {
		n++
		if l.Null() {
			return
		}
		switch n {
		case 1:
			schema = l.Raw()
		case 2:
			txn = l.Raw()
		default:
			l.Fail("two elements")
		}
	})
	if err := l.End(); err != nil {
		return fmt.Errorf("%w: %w", ErrContent, err)
	}
	before := *s
	if schema != nil {
		if err := s.takeSchema(schema); err != nil {
			return err
		}
	}
	if txn == nil {
		return nil
	}
	err := s.replayTransaction(txn)
	if err != nil {
		s.rows, s.name, s.version = before.rows, before.name, before.version
	}
	return err
}
