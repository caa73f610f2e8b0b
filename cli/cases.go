package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"rung/cli/command"
	"rung/engine/trace"
	"rung/model/verdict"
	"rung/model/words"
)

// takesQuestion accepts a question as the console does: two ends and optional details.
func takesQuestion(cmd *cobra.Command, args []string) error {
	text := strings.Join(args, " ")
	switch _, err := trace.ParseQuestion(text); {
	case err != nil && len(args) > 1:
		return err // the ends are there, so report the actual error
	case err != nil || len(strings.Fields(text)) == 1:
		return errors.Join(err, fmt.Errorf("%s needs FROM and TO, or flags for them; see: %s --help", cmd.CommandPath(), cmd.CommandPath()))
	}
	return nil
}

// readQuestions returns the question on the command line, or the questions of a file.
func readQuestions(a *command.App, cmd *cobra.Command, args []string, one trace.Question, file string) ([]trace.Question, error) {
	if len(args) > 0 {
		q, err := trace.ParseQuestion(strings.Join(args, " "))
		if err != nil {
			return nil, err
		}
		for flag, given := range map[string]bool{"from": true, "to": true, "protocol": q.Protocol != "", "port": q.Port != 0,
			"ip-version": q.IPVersion != 0, "network": q.Network != ""} {
			if given && cmd.Flags().Changed(flag) {
				return nil, fmt.Errorf("%q says it already: leave --%s out", strings.Join(args, " "), flag)
			}
		}
		one.From, one.To = q.From, q.To
		one.Protocol, one.Port, one.IPVersion = cmp.Or(q.Protocol, one.Protocol), cmp.Or(q.Port, one.Port), cmp.Or(q.IPVersion, one.IPVersion)
		one.Network, one.Namespace = cmp.Or(q.Network, one.Network), cmp.Or(q.Namespace, one.Namespace)
	}
	switch {
	case file == "":
		return []trace.Question{one}, nil
	case one.From != "" || one.To != "":
		return nil, errors.New("--cases has the questions: leave the ends out")
	}
	out, err := readCases(cmd.Context(), a, file)
	if err != nil {
		return nil, err
	}
	for i := range out { // the flags fill in what a case leaves out
		q := &out[i]
		q.Protocol = cmp.Or(q.Protocol, one.Protocol)
		if !strings.EqualFold(q.Protocol, string(verdict.ICMP)) {
			q.Port = cmp.Or(q.Port, one.Port)
		}
		q.IPVersion, q.Network = cmp.Or(q.IPVersion, one.IPVersion), cmp.Or(q.Network, one.Network)
		q.Namespace = one.Namespace
	}
	return out, nil
}

// maxCases limits a file of questions, in bytes.
const maxCases = 64 << 20

func readCases(ctx context.Context, a *command.App, file string) (out []trace.Question, err error) {
	text, err := a.ReadGiven(ctx, file, maxCases)
	if err != nil {
		return nil, fmt.Errorf("reading the cases of %s: %w", file, err)
	}
	var cases []json.RawMessage
	if err := json.Unmarshal(text, &cases); err != nil {
		return nil, fmt.Errorf("reading the cases of %s: %w", file, jsonError(err, "a JSON array of cases"))
	}
	var bad CaseErrors
	out = make([]trace.Question, len(cases))
	for i, c := range cases {
		d := json.NewDecoder(strings.NewReader(string(c)))
		d.DisallowUnknownFields()
		if err := d.Decode(&out[i]); err != nil {
			bad.addError(file, i, jsonError(err, `an object with "from", "to", "protocol", "port", "ip_version" and "network"`))
		}
	}
	return out, bad.asError()
}

// jsonError returns a decoding error in the words of JSON, not of Go; want says what the
// text should have held. Other errors are returned unchanged.
func jsonError(err error, want string) error {
	var kind *json.UnmarshalTypeError
	if !errors.As(err, &kind) {
		return err
	}
	if kind.Field == "" {
		return fmt.Errorf("got %s, want %s", kind.Value, want)
	}
	if kind.Field == "port" {
		return fmt.Errorf("port: got %s, want a number", kind.Value)
	}
	return fmt.Errorf("%s: got %s, want text", kind.Field, kind.Value)
}

// CaseErrors say why cases of a file cannot be asked, one error for each case.
type CaseErrors []error

const mostCaseErrors = 20

// Error returns a line for each case.
func (e CaseErrors) Error() string {
	var lines []string
	for i, err := range e {
		if i == mostCaseErrors {
			lines = append(lines, "and "+words.Count(len(e)-i, "more case"))
			break
		}
		lines = append(lines, err.Error())
	}
	return strings.Join(lines, "\n")
}

func (e *CaseErrors) addError(file string, i int, err error) {
	*e = append(*e, fmt.Errorf("%s: case %d: %w", file, i, err))
}

func (e CaseErrors) asError() error {
	if len(e) == 0 {
		return nil
	}
	return e
}

// answerToQuestions returns an answer with the result of one question or, if a file of questions is named, of
// all its questions in order.
func answerToQuestions[T command.AnswerItem](out []T, file string) *command.Answer {
	text := func(wide bool) string {
		var b strings.Builder
		for _, o := range out {
			o.WriteText(&b, wide, file != "")
		}
		return b.String()
	}
	ans := &command.Answer{Value: out, Text: text}
	if file == "" {
		ans.Value = out[0]
	}
	return ans
}
