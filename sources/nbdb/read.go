package nbdb

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"rung/model/ovn/flow"
	"rung/model/ovn/nb"
	"rung/model/words"
	"rung/sources/files"
)

// The faults of a file; compare with errors.Is.
var (
	ErrNotDatabase = errors.New("not an OVSDB database file")
	ErrOther       = errors.New("another database")
	ErrCut         = errors.New("the file is cut off")
	ErrHash        = errors.New("its contents do not match their hash")
	ErrTooLarge    = errors.New("larger than the limit")
	ErrContent     = errors.New("its contents are invalid")
)

// Limits bound what one file may cost, in bytes. Zero fields take the default.
type Limits struct {
	File     int64 // on disk: 1 GiB
	Expanded int64 // once expanded: 2 GiB
	// Record is the largest record, and all that a clustered file holds back
	// until it is committed: 512 MiB. That much is in memory besides the rows.
	Record int64
}

func (l Limits) withDefaults() Limits {
	return Limits{cmp.Or(l.File, 1<<30), cmp.Or(l.Expanded, 2<<30), cmp.Or(l.Record, 512<<20)}
}

// Options are the settings for reading several files.
type Options struct {
	Limits
	// Share, where set, lets rows hold contents together with other zones.
	Share *Sharing
	// Archives, where set, keeps the databases of an archive once it was read.
	Archives *Archives
}

// Result holds the contents of a file.
type Result struct {
	DB *nb.DB // of a Northbound database
	// Flows are the rows of a Southbound database.
	Flows *flow.DB
	// Schema and Version are the name and version of the schema.
	Schema, Version string
	// At is when the last transaction was made; zero when there is none.
	At time.Time
	// Records counts the records that were read, Uncommitted the entries of a clustered
	// file that it does not say are committed: they are not in DB.
	Records, Uncommitted int
	// Clustered says which of the formats it is.
	Clustered bool
	// Truncated is set when the file is damaged: DB is as of the record before.
	// It is a *Damage.
	Truncated error

	// RowsAside is set when rows are left aside; it wraps nbdb.ErrRowID.
	RowsAside error

	tip string // tells contents from others: the end's place and hash
}

// Damage says where a file stops making sense.
type Damage struct {
	Path   string
	Offset int64 // of the record, in bytes, once expanded
	Record int   // its number, from 0 as ovsdb-tool counts
	Err    error
}

func (d *Damage) Error() string {
	read := "nothing could be read"
	if d.Record > 0 {
		read = fmt.Sprintf("what the %d records before it say was read", d.Record)
	}
	return fmt.Sprintf("%s: record %d at byte %d: %v; %s", d.Path, d.Record, d.Offset, d.Err, read)
}

func (d *Damage) Unwrap() error { return d.Err }

// ReadFile reads a database file, or the member of an archive that "ARCHIVE!MEMBER"
// names. The error is for a file that gives nothing: not there, no database,
// another one, or damaged at its beginning.
func ReadFile(ctx context.Context, path string, o Options) (*Result, error) {
	return readFile(ctx, path, o, northboundKind(o.Share))
}

// ReadSouthbound is ReadFile for a Southbound database: the logical flows of ACLs and what
// belongs to them.
func ReadSouthbound(ctx context.Context, path string, o Options) (*Result, error) {
	return readFile(ctx, path, o, southboundKind())
}

func readFile(ctx context.Context, path string, o Options, of databaseKind) (*Result, error) {
	return untilEnd(ctx, path, func() (*Result, error) { return readNow(ctx, path, o, of) })
}

// untilEnd returns what f reads of a path. If f hangs in the kernel, it is left behind a second after ctx ended.
func untilEnd[T any](ctx context.Context, path string, f func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	got := make(chan result, 1)
	files.RunUntil(ctx, func() {
		value, err := f()
		got <- result{value, err}
	})
	select {
	case r := <-got:
		return r.value, r.err
	default:
		var none T
		return none, readError(path, ctx.Err())
	}
}

func readNow(ctx context.Context, path string, o Options, of databaseKind) (*Result, error) {
	o.Limits = o.withDefaults()
	if archive, member, ok := splitArchive(path); ok {
		text, err := o.Archives.readMember(ctx, archive, member, o.Limits)
		if err != nil {
			return nil, err
		}
		return readFrom(ctx, bytes.NewReader(text), path, o, of)
	}
	file, err := openLimited(path, o.File)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return readFrom(ctx, file, path, o, of)
}

// openLimited opens a regular file that is not too large.
func openLimited(path string, limit int64) (*os.File, error) {
	info, err := os.Stat(path) // before opening: a pipe would block
	switch {
	case err != nil:
		return nil, readError(path, err)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("read %s: not a regular file: %w", words.CleanText(path), ErrNotDatabase)
	case info.Size() > limit:
		return nil, fmt.Errorf("read %s: %w of %s for a database file", words.CleanText(path), ErrTooLarge, files.SizeText(limit))
	}
	file, err := files.OpenRegular(path)
	if err != nil {
		return nil, readError(path, err)
	}
	return file, nil
}

func readError(path string, err error) error {
	return fmt.Errorf("read %s: %w", words.CleanText(path), files.ReasonOf(err))
}

// readFrom reads a database from a stream; name stands for it in errors.
func readFrom(ctx context.Context, r io.Reader, name string, o Options, of databaseKind) (*Result, error) {
	o.Limits = o.withDefaults()
	name = words.CleanText(name)
	in, err := expandStream(r)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w: %w", name, ErrNotDatabase, err)
	}
	l := &logReader{r: in, maxBytes: o.Expanded, bytesLeft: o.Expanded, max: o.Record}
	s := &databaseState{kind: of, rows: map[rowKey]databaseRow{}}
	res := &Result{}
	for ctx.Err() == nil {
		raw, err := l.nextRecord()
		if err == io.EOF && l.records > 0 {
			break
		}
		switch {
		case err != nil:
		case l.magic == magicCluster:
			err = s.clusterRecord(l, raw)
		case l.records == 0:
			err = s.takeSchema(raw)
		default:
			err = s.replayTransaction(raw)
		}
		if err == nil {
			l.offset += l.size
			l.records++
			continue
		}
		if l.records == 0 && (errors.Is(err, ErrNotDatabase) || errors.Is(err, ErrOther) || errors.Is(err, ErrSchema)) {
			return nil, fmt.Errorf("read %s: %w", name, err)
		}
		d := &Damage{Path: name, Offset: l.offset, Record: l.records, Err: err}
		if l.records == 0 {
			return nil, d
		}
		res.Truncated = d
		break
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	if l.magic == magicCluster && s.raft.commits == 0 {
		// The file says nothing of commits: these are there to help people (ovsdb(5)), not
		// for servers.
		if err := s.commitTo(s.raft.end); err != nil && res.Truncated == nil {
			res.Truncated = &Damage{Path: name, Offset: l.offset, Record: l.records, Err: err}
		}
	}
	of.fill(res, s.rows)
	res.Schema, res.Version, res.At = s.name, s.version, s.committedAt
	res.Records, res.Clustered, res.Uncommitted = l.records, l.magic == magicCluster, len(s.raft.pending)
	res.RowsAside = s.rowsAside.Err()
	res.tip = fmt.Sprintf("%d %s %v", l.offset, l.hash, res.Truncated)
	return res, nil
}

// bufferSize is how much is read from a file at once, in bytes.
const bufferSize = 64 << 10

// expandStream looks whether a stream is compressed and expands it then.
func expandStream(r io.Reader) (*bufio.Reader, error) {
	in := bufio.NewReaderSize(r, bufferSize)
	if head, err := in.Peek(2); err != nil || head[0] != 0x1f || head[1] != 0x8b {
		return in, nil // what is too short is found when it is read
	}
	z, err := gzip.NewReader(in)
	if err != nil {
		return nil, err
	}
	return bufio.NewReaderSize(z, bufferSize), nil
}
