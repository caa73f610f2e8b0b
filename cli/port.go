package cli

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"rung/engine/trace"
)

// portValue is the value of --port: a port, or one with its protocol, as in 53/udp and as the
// console takes it.
type portValue struct {
	port     *int
	protocol *string
	text     string // where it says the protocol
}

// String is the port, empty where none was given.
func (p *portValue) String() string {
	if p.port == nil || *p.port == 0 {
		return ""
	}
	return strconv.Itoa(*p.port)
}

// Type names the values.
func (p *portValue) Type() string { return "port" }

// Set reads the port, and the protocol behind it.
func (p *portValue) Set(text string) error {
	var q trace.Question
	if err := q.ReadService(text); err != nil || q.Port == 0 {
		return errors.New("use 1 to 65535, or with its protocol, as in 53/udp")
	}
	*p.port = q.Port
	if q.Protocol != "" {
		*p.protocol, p.text = q.Protocol, text
	}
	return nil
}

// addPortFlags adds the flags that say which port is meant, and of which protocol.
func addPortFlags(cmd *cobra.Command, port *int, usage string, protocol *string, ofProtocol string) {
	value := &portValue{port: port, protocol: protocol}
	cmd.Flags().StringVar(protocol, "protocol", *protocol, ofProtocol)
	cmd.Flags().Var(value, "port", usage)
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error {
		if value.text != "" && cmd.Flags().Changed("protocol") {
			return fmt.Errorf("--port %s says the protocol already: leave --protocol out", value.text)
		}
		return nil
	}
}
