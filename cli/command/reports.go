package command

import (
	"fmt"
	"io"
	"os"

	"rung/pages/page"
)

// writeReport writes what an answer reports in the form of -o. That form is all that goes to w: people read
// what was not considered and the summary on standard error.
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
	a.sayOnce(ans.Summary)
	_, err = io.WriteString(w, text)
	return err
}

// level says how bad it is for the answer not to take it into account.
func (o *OmissionOut) level() Level {
	switch {
	case o.Assumed:
		return Note
	case o.Allowed:
		return Warning
	}
	return Error
}
