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

// The errors of a file, for errors.Is.
var (
	ErrNotDatabase = errors.New("not an OVSDB database file")
	ErrOther       = errors.New("another database")
	ErrCut         = errors.New("the file is cut off")
	ErrHash        = errors.New("its contents do not match their hash")
	ErrTooLarge    = errors.New("larger than the limit")
	ErrContent     = errors.New("its contents are invalid")
)

// Limits bounds what reading one file may use, in bytes. Zero fields mean the default.
type Limits struct {
	File     int64 // on disk: 1 GiB
	Expanded int64 // once expanded: 2 GiB
	// Record limits a record, and all uncommitted entries of a clustered file: 512 MiB. That is in memory in
	// addition to the rows.
	Record int64
}

func (l Limits) withDefaults() Limits {
	return Limits{cmp.Or(l.File, 1<<30), cmp.Or(l.Expanded, 2<<30), cmp.Or(l.Record, 512<<20)}
}

// Options are the settings for reading several files.
type Options struct {
	Limits
	// Share, if set, shares equal values with other zones.
	Share *Sharing
	// Archives, if set, caches the databases of archives.
	Archives *Archives
	// Lists is set if the file holds the output of ovn-nbctl list.
	Lists bool
}

// Result holds the contents of a file.
type Result struct {
	DB *nb.DB // of a Northbound database
	// Flows are the rows of a Southbound database.
	Flows *flow.DB
	// Schema and Version are the name and version of the schema.
	Schema, Version string
	// At is the time of the last transaction; zero if there is none.
	At time.Time
	// Records counts the records read. Uncommitted counts the entries of a clustered file that are not
	// committed and not in DB.
	Records, Uncommitted int
	// Clustered: the file is in the clustered format.
	Clustered bool
	// Truncated is a *Damage if the file is damaged; DB then has the state before the damage.
	Truncated error

	// SkippedRows is set if rows were skipped; it wraps nbdb.ErrRowID.
	SkippedRows error

	fingerprint string // identifies the contents: offset and hash of the end
}

// Damage names the record at which a file becomes invalid.
type Damage struct {
	Path   string
	Offset int64 // of the record, in bytes, once expanded
	Record int   // its number, from 0 as ovsdb-tool counts
	Err    error
}

func (d *Damage) Error() string {
	read := "nothing could be read"
	if d.Record > 0 {
		read = fmt.Sprintf("the %d records before it were read", d.Record)
	}
	return fmt.Sprintf("%s: record %d at byte %d: %v; %s", d.Path, d.Record, d.Offset, d.Err, read)
}

func (d *Damage) Unwrap() error { return d.Err }

// ReadFile reads a database file, or an archive's member if path is "ARCHIVE!MEMBER". It fails if nothing can
// be read: no such file, no database, another database, or damage at its beginning.
func ReadFile(ctx context.Context, path string, o Options) (*Result, error) {
	return untilEnd(ctx, path, func() (*Result, error) { return readNow(ctx, path, o, northboundKind(o.Share)) })
}

// ReadSouthbound is ReadFile for a Southbound database: the logical flows of ACLs and their related rows.
func ReadSouthbound(ctx context.Context, path string, o Options) (*Result, error) {
	return untilEnd(ctx, path, func() (*Result, error) { return readNow(ctx, path, o, southboundKind()) })
}

// untilEnd returns f's result. If f hangs in the kernel, untilEnd abandons it a second after ctx ended and
// returns an error.
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
	return fmt.Errorf("read %s: %w", words.CleanText(path), files.WithoutPath(err))
}

// readFrom reads a database from a stream; name identifies it in errors.
func readFrom(ctx context.Context, r io.Reader, name string, o Options, of databaseKind) (*Result, error) {
	o.Limits = o.withDefaults()
	name = words.CleanText(name)
	in, err := expandStream(r)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w: %w", name, ErrNotDatabase, err)
	}
	if o.Lists {
		res, err := readLists(in, o, of)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", name, err)
		}
		return res, nil
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
		// The file has no commit records. They are only there to help people (ovsdb(5)); servers do not need
		// them.
		if err := s.commitTo(s.raft.end); err != nil && res.Truncated == nil {
			res.Truncated = &Damage{Path: name, Offset: l.offset, Record: l.records, Err: err}
		}
	}
	of.fill(res, s.rows)
	res.Schema, res.Version, res.At = s.name, s.version, s.committedAt
	res.Records, res.Clustered, res.Uncommitted = l.records, l.magic == magicCluster, len(s.raft.pending)
	res.SkippedRows = s.skippedRows.Err()
	res.fingerprint = fmt.Sprintf("%d %s %v", l.offset, l.hash, res.Truncated)
	return res, nil
}

// bufferSize is the size of file reads, in bytes.
const bufferSize = 64 << 10

// expandStream expands a stream if it is gzipped.
func expandStream(r io.Reader) (*bufio.Reader, error) {
	in := bufio.NewReaderSize(r, bufferSize)
	if head, err := in.Peek(2); err != nil || head[0] != 0x1f || head[1] != 0x8b {
		return in, nil // later reads report a stream that is too short
	}
	z, err := gzip.NewReader(in)
	if err != nil {
		return nil, err
	}
	return bufio.NewReaderSize(z, bufferSize), nil
}
