package command

import (
	"fmt"
	"io"
	"os"

	"rung/pages/page"
)

// writeReport writes the report of an answer in the form of -o, and nothing else to w. Omissions and the
// summary go to stderr for people.
func writeReport(a *App, w io.Writer, ans *Answer, out []OmissionOut) error {
	if ans.Report == nil {
		return formError(a.Flags.Output)
	}
	r := ans.Report()
	r.Version = a.Version
	if len(a.Flags.Files) > 0 {
		r.Input = a.Flags.Files[0]
	}
	var err error
	if r.Folder, err = os.Getwd(); err != nil {
		return fmt.Errorf("name files relative to the working folder: %w", err)
	}
	r.NotConsidered = page.MapList(out, func(o OmissionOut) Omission {
		return Omission{Code: string(o.Code), Level: o.level(), Text: o.Text, File: o.File, Line: o.Line}
	})
	text, err := r.Write(a.Flags.Output)
	if err != nil {
		return fmt.Errorf("-o %s: %w", a.Flags.Output, err)
	}
	a.sayOmitted(out)
	a.SayOnce(ans.Summary)
	_, err = io.WriteString(w, text)
	return err
}

// level returns the level of an omission.
func (o *OmissionOut) level() Level {
	switch {
	case o.Assumed:
		return Note
	case o.Allowed:
		return Warning
	}
	return Error
}
