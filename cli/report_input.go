package cli

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"slices"

	"rung/model"
	"rung/model/words"
	"rung/pages/activity"
	"rung/pages/cluster"
	"rung/pages/page"
	"rung/themes"
)

// changesPart lists the changes of the history.
func (b *reportBuilder) changesPart() page.Section {
	all := activity.FactsOf(b.changes, nil, b.now)
	b.out.Changes = append([]*activity.Entry{}, all...)
	x := page.Section{Key: "changes", Title: "Changes",
		Lines: []page.Line{plainLine("Made with Rung, according to the history of this user on this machine. Times are in UTC.")}}
	if b.unread != nil {
		b.leaveOut(&x, "changes of other processes: "+b.unread.Error())
	}
	for _, text := range b.notices {
		x.Lines = append(x.Lines, page.Line{warnSign, {Text: " " + text}})
		b.addSummary(warnSign, text)
	}
	// Zones' operations are in the history of the process that wrote them.
	table := *activity.Table
	table.Columns = slices.DeleteFunc(slices.Clone(table.Columns), func(c page.Column[*activity.Entry]) bool { return c.Key == "operations" })
	table.Empty = "none in the history"
	x.Grids = []page.Grid{page.GridOf(&table, all, true)}
	return x
}

// mostFiles is the most input files that a report lists.
const mostFiles = 1000

// inputPart lists what was read, with digests.
func (b *reportBuilder) inputPart() page.Section {
	x := page.Section{Key: "input", Title: "Input"}
	for _, part := range cluster.FactsOf(b.rev).Sections(cluster.Hints{}, b.now) {
		if part.Title == "no cluster" {
			continue // the head names the source
		}
		g := page.Grid{Title: part.Title, Columns: []page.GridColumn{{Key: "what", Title: "WHAT"}, {Key: "value", Title: "VALUE"}}}
		for _, e := range part.Entries {
			if e.ID == "changes" {
				continue // this process changes nothing
			}
			g.Rows = append(g.Rows, page.GridRow{Cells: []page.Cell{{Sign: e.Sign, Text: e.Name}, {More: e.Value}}})
		}
		x.Grids = append(x.Grids, g)
	}
	b.out.Files = []fileOut{}
	for _, s := range b.rev.Sources {
		for _, f := range s.Files {
			b.addFile(f)
		}
	}
	read := len(b.out.Files)
	for _, f := range b.statements.Files {
		if !slices.ContainsFunc(b.out.Files[:read], func(o fileOut) bool { return o.Path == f.Path }) {
			b.addFile(f) // else it was listed as a manifest
		}
	}
	files := page.GridOf(fileTable, b.out.Files[:min(len(b.out.Files), mostFiles)], true)
	files.Title = "Files"
	if n := len(b.out.Files) - mostFiles; n > 0 {
		files.Title = fmt.Sprintf("The first %s files; -o json has %s more", words.Thousands(mostFiles), words.Thousands(n))
	}
	policies := page.GridOf(digestTable, b.out.Policies, true)
	policies.Title = "Digests of the policies"
	x.Grids = append(x.Grids, files, policies)
	return x
}

// addFile adds a file that was read.
func (b *reportBuilder) addFile(f model.SourceFile) {
	o := fileOut{Path: f.Path, Size: f.Size}
	if f.Sum != [32]byte{} {
		o.SHA256 = hex.EncodeToString(f.Sum[:])
	}
	b.out.Files = append(b.out.Files, o)
}

var fileTable = &page.Table[fileOut]{
	ID:    func(f fileOut) string { return f.Path },
	Empty: "no files were read",
	Columns: []page.Column[fileOut]{
		{Key: "path", Title: "FILE", Worth: page.Always, Cell: func(f fileOut) page.Cell { return page.Cell{Text: f.Path} }},
		{Key: "bytes", Title: "BYTES", Right: true, Worth: page.Always, Cell: func(f fileOut) page.Cell {
			return page.Cell{Text: words.Thousands(int(f.Size))}
		}},
		{Key: "sha256", Title: "SHA-256", Worth: page.Always, Cell: func(f fileOut) page.Cell {
			return page.Cell{Text: cmp.Or(f.SHA256, page.None.Text), Role: themes.Dim}
		}},
	},
}

var digestTable = &page.Table[digestOut]{
	ID:    func(d digestOut) string { return d.Policy },
	Empty: "there are no policies",
	Help: map[string]string{"digest": "the first half of the SHA-256 of what the policy says, wherever it was read: metadata that others " +
		"add does not count"},
	Columns: []page.Column[digestOut]{
		{Key: "policy", Title: "POLICY", Worth: page.Always, Cell: func(d digestOut) page.Cell {
			return page.Cell{Text: d.Policy, Role: themes.Accent}
		}},
		{Key: "digest", Title: "DIGEST", Worth: page.Always, Cell: func(d digestOut) page.Cell {
			return page.Cell{Text: d.Digest, Role: themes.Dim}
		}},
		{Key: "file", Title: "FILE", Worth: page.Always, Sparse: true, Cell: func(d digestOut) page.Cell {
			return page.Cell{Text: d.File, Role: themes.Dim}
		}},
	},
}
