package cli

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"rung/engine/trace"
)

// portValue is the value of --port: a port, or a port with its protocol as in 53/udp, like in the console.
type portValue struct {
	port     *int
	protocol *string
	text     string // argument, if it names the protocol
}

// String returns the port, empty if not given.
func (p *portValue) String() string {
	if p.port == nil || *p.port == 0 {
		return ""
	}
	return strconv.Itoa(*p.port)
}

// Type returns the name of the value's type.
func (p *portValue) Type() string { return "port" }

// Set parses the port and the optional protocol.
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

// addPortFlags adds the flags for port and protocol.
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
