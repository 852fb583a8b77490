//! Recurrent layers.
//! <https://docs.pytorch.org/docs/stable/generated/torch.nn.LSTM.html>

use crate::args::{Arg, Args};
use crate::broadcast::expand_into;
use crate::dim::Dim;
use crate::error::{counted, Error, Kind, Result};
use crate::op::{said, Call, Cost, Inputs, Op, Outputs};
use crate::shape::{Dims, Shown};

macro_rules! arguments {
    ($($own:expr),*) => {
        &[
            Arg::whole("input_size").min(1).optional(),
            Arg::whole("hidden_size").min(1),
            Arg::whole("num_layers").min(1).default(1),
            $($own,)*
            Arg::flag("bias", true),
            Arg::flag("batch_first", false),
            Arg::number("dropout").default_number(0.0),
            Arg::flag("bidirectional", false),
            Arg::whole("proj_size").min(0).default(0),
        ]
    };
}
const RNN: &[Arg] = arguments!(Arg::choice("nonlinearity", &["tanh", "relu"]));
const LSTM_OR_GRU: &[Arg] = arguments!();

const PAD_SEQUENCE: &[Arg] = &[Arg::flag("batch_first", false), Arg::number("padding_value").default_number(0.0)];

/// How many maps of the input and of the last output each kind of cell learns.
const RNN_GATES: i64 = 1;
const GRU_GATES: i64 = 3;
const LSTM_GATES: i64 = 4;

pub const fn rnn(name: &'static str) -> Op {
    Op::new(name, "recurrent", "recurrent layers of the simplest kind", recurrent::<RNN_GATES>)
        .args(RNN)
        .inputs(Inputs::optional(&["input", "h_0"], 1))
        .outputs(&["output", "h_n"])
        .cost(recurrent_cost::<RNN_GATES>)
}

pub const fn gru(name: &'static str) -> Op {
    Op::new(name, "recurrent", "gated recurrent units", recurrent::<GRU_GATES>)
        .args(LSTM_OR_GRU)
        .inputs(Inputs::optional(&["input", "h_0"], 1))
        .outputs(&["output", "h_n"])
        .cost(recurrent_cost::<GRU_GATES>)
}

pub const fn lstm(name: &'static str) -> Op {
    Op::new(name, "recurrent", "layers with long short-term memory", recurrent::<LSTM_GATES>)
        .args(LSTM_OR_GRU)
        .inputs(Inputs::optional(&["input", "h_0", "c_0"], 2))
        .outputs(&["output", "h_n", "c_n"])
        .cost(recurrent_cost::<LSTM_GATES>)
}

pub const fn pad_sequence(name: &'static str) -> Op {
    Op::new(name, "recurrent", "stacks sequences, padded to the longest", pad_sequence_rule)
        .args(PAD_SEQUENCE)
        .inputs(Inputs::ANY)
}

/// The sizes that follow from the arguments.
struct Layers {
    hidden_size: i64,
    /// What a layer gives for each time step and direction: projected if there is a projection.
    output_size: i64,
    projected: bool,
    num_layers: i64,
    directions: i64,
}

impl Layers {
    fn of(args: &Args) -> Layers {
        let hidden_size = args.whole("hidden_size");
        let proj_size = args.whole("proj_size");
        Layers {
            hidden_size,
            output_size: if proj_size > 0 { proj_size } else { hidden_size },
            projected: proj_size > 0,
            num_layers: args.whole("num_layers"),
            directions: if args.flag("bidirectional") { 2 } else { 1 },
        }
    }

    /// The weights of one direction of one layer: gates (input + output) hidden + hidden output with a projection.
    fn weights(&self, gates: i64, input: Dim) -> Dim {
        let recurrent = (input + self.output_size) * self.hidden_size * gates;
        if self.projected {
            recurrent + Dim::known(self.hidden_size) * self.output_size
        } else {
            recurrent
        }
    }

    /// The weights of all of them: the first layer takes the input, every other what the one before gives.
    fn all_weights(&self, gates: i64, input: Dim) -> Dim {
        let inner = Dim::known(self.output_size) * self.directions;
        let one_direction = self.weights(gates, input) + self.weights(gates, inner) * (self.num_layers - 1);
        one_direction * self.directions
    }
}

/// (L, N, H_in) -> (L, N, D H_out), (D layers, N, H_out) and for nn_lstm (D layers, N, H_cell); (N, L, H_in) with batch_first,
/// which does not hold for the states; N may be missing. D is 2 if bidirectional, else 1.
fn recurrent<const GATES: i64>(call: &Call) -> Result<Outputs> {
    let input = call.input_of_rank(0, &[2, 3])?;
    let layers = Layers::of(call.args);
    check_projection::<GATES>(&layers)?;
    let features = input.len() - 1;
    not_empty(call, features, call.agree("input_size", 0, features)?)?;

    let is_batch_first = input.len() == 3 && call.args.flag("batch_first");
    let (step, batch) = if is_batch_first { (1, 0) } else { (0, 1) };
    let steps = not_empty(call, step, input[step])?;
    let mut batch_size = (input.len() == 3).then(|| input[batch]);

    let both = Dim::known(layers.num_layers) * layers.directions;
    if GATES == LSTM_GATES && call.get_input(1).is_some() != call.get_input(2).is_some() {
        let problem = "needs both states, h_0 and c_0, or none of them.";
        return Err(Error::new(Kind::Argument, problem));
    }
    for (i, size) in [(1, layers.output_size), (2, layers.hidden_size)] {
        let Some(state) = call.get_input(i) else { continue };
        if state.len() != input.len() {
            let problem = format!(
                "needs states with as many dimensions as its input: {}, not {}.",
                input.len(),
                counted(state.len(), "dimension")
            );
            return Err(Error::new(Kind::Rank, problem).inputs([1, i + 1]));
        }
        state_size(call, i, 0, both, "num_layers times the number of directions")?;
        state_size(call, i, state.len() - 1, Dim::known(size), if i == 1 { "the output size" } else { "hidden_size" })?;
        if let Some(batch_size) = &mut batch_size {
            *batch_size = state_size(call, i, 1, *batch_size, "the size of the batch")?;
        }
    }

    let mut output = match batch_size {
        Some(size) if is_batch_first => vec![size, steps],
        Some(size) => vec![steps, size],
        None => vec![steps],
    };
    output.push(Dim::known(layers.output_size) * layers.directions);
    let state =
        |size: i64| -> Dims { [Some(both), batch_size, Some(Dim::known(size))].into_iter().flatten().collect() };
    let mut outputs = vec![output, state(layers.output_size)];
    if GATES == LSTM_GATES {
        outputs.push(state(layers.hidden_size));
    }
    Ok(outputs.into())
}

fn check_projection<const GATES: i64>(layers: &Layers) -> Result<()> {
    if !layers.projected {
        return Ok(());
    }
    let proj_size = layers.output_size;
    let problem = if GATES != LSTM_GATES {
        format!("cannot have proj_size = {proj_size}: only nn_lstm has projections.")
    } else if proj_size >= layers.hidden_size {
        format!("needs a proj_size below its hidden_size {}, not {proj_size}.", layers.hidden_size)
    } else {
        return Ok(());
    };
    Err(Error::new(Kind::Argument, problem).argument("proj_size"))
}

/// What is left of a size of the input that must not be 0.
fn not_empty(call: &Call, dim: usize, size: Dim) -> Result<Dim> {
    size.keep_at_least(1).ok_or_else(|| {
        let what = if dim + 1 == call.input(0).len() { "feature" } else { "time step" };
        call.size_error(0, dim, format!("needs at least one {what}, but dimension {} of its input is 0.", dim + 1))
    })
}

/// What is left of `wanted` when it must be the size at `dim` of state `i`.
fn state_size(call: &Call, i: usize, dim: usize, wanted: Dim, what: &str) -> Result<Dim> {
    let size = call.input(i)[dim];
    wanted.unify(size).ok_or_else(|| {
        let problem = format!(
            "needs a state whose dimension {} is {what}, {}, but in input {} it is {}.",
            dim + 1,
            said(wanted),
            i + 1,
            said(size)
        );
        let error = call.size_error(i, dim, problem).sizes([wanted, size]);
        if call.args.flag("batch_first") {
            error.hint("A state is never batch first.")
        } else {
            error
        }
    })
}

/// Learned: gates (H_in + H_out) H a direction and layer, with a bias 2 gates H more, with a projection H H_out more.
/// Every time step takes all weights once.
fn recurrent_cost<const GATES: i64>(call: &Call, outputs: &[&[Dim]]) -> Cost {
    let input = call.input(0);
    let features = input.len() - 1;
    let layers = Layers::of(call.args);
    let input_size = call.agree("input_size", 0, features).unwrap_or(input[features]);
    let weights = layers.all_weights(GATES, input_size);
    let bias = Dim::known(layers.hidden_size) * (2 * GATES) * layers.num_layers * layers.directions;
    let steps = outputs[0][..features].iter().fold(Dim::ONE, |product, &size| product * size);
    Cost { params: if call.args.flag("bias") { weights + bias } else { weights }, macs: steps * weights }
}

/// (L_i, *) each -> (max L, N, *), or (N, max L, *) with batch_first; every sequence expands to the other sizes of the first.
fn pad_sequence_rule(call: &Call) -> Result<Outputs> {
    let first = call.input_of_at_least(0, 1)?;
    let (mut longest, mut rest) = (first[0], first[1..].to_vec());
    for i in 1..call.inputs().len() {
        let sequence = call.input_of_at_least(i, 1)?;
        let place: Dims = [&[sequence[0]], rest.as_slice()].concat();
        let filled = expand_into(sequence, &place).map_err(|error| {
            let problem = format!("cannot pad sequence {} {} to {}.", i + 1, Shown(sequence), Shown(&place));
            Error::new(error.kind, problem)
                .hint("After its length it must have the sizes of sequence 1.")
                .inputs([1, i + 1])
                .sizes(error.sizes)
        })?;
        // of fewer dimensions, its length meets another size
        let met = place[place.len() - sequence.len()].max(1);
        longest = longest.max(sequence[0].keep_at_most(met).unwrap_or(sequence[0]));
        rest = filled[1..].to_vec();
    }
    let count = Dim::known(call.inputs().len() as i64);
    let mut output = if call.args.flag("batch_first") { vec![count, longest] } else { vec![longest, count] };
    output.extend(rest);
    Ok(output.into())
}
