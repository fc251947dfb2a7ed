//! A scripted Proxy-Wasm host in wasmtime: one process with several VMs that share data.
//!
//! Host calls answer as [`Personality`] says. What the host is asked to do (log, reply, dispatch) is
//! recorded in [`State`]; nothing happens by itself.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use wasmtime::{Caller, Engine, Instance, Linker, Memory, Module, Result, Store, bail};

pub type Pairs = Vec<(String, String)>;

/// Whose rules and quirks the host follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Personality {
    Envoy,
    Nginx,
}

pub const OK: i32 = 0;
pub const NOT_FOUND: i32 = 1;
pub const BAD_ARGUMENT: i32 = 2;
pub const CAS_MISMATCH: i32 = 8;
pub const INTERNAL_FAILURE: i32 = 10;

/// Shared data, clock and identifiers of one host process.
#[derive(Debug, Default)]
pub struct Process {
    pub data: RefCell<BTreeMap<String, (Vec<u8>, u32)>>,
    cas: Cell<u32>,
    /// Milliseconds since the Unix epoch.
    pub now: Cell<u64>,
    tokens: Cell<u32>,
    pub metrics: RefCell<BTreeMap<String, u64>>,
    metric_names: RefCell<Vec<String>>,
}

/// A call that was dispatched and waits for its scripted answer.
#[derive(Debug, Clone)]
pub struct Dispatched {
    pub token: u32,
    /// Context in effect when it was dispatched.
    pub context: u32,
    pub cluster: String,
    pub headers: Pairs,
    pub body: Vec<u8>,
    pub timeout: u32,
}

impl Dispatched {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(n, _)| n == name).map(|(_, value)| value.as_str())
    }
}

/// A local reply.
#[derive(Debug, Clone)]
pub struct Reply {
    pub status: u32,
    pub headers: Pairs,
    pub body: Vec<u8>,
}

/// One request as the host knows it.
#[derive(Debug, Clone, Default)]
pub struct Exchange {
    pub headers: Pairs,
    pub body: Vec<u8>,
    /// nginx: the body went to a file and cannot be read.
    pub spilled: bool,
    pub response_headers: Option<Pairs>,
    pub reply: Option<Reply>,
    /// Let through by the filter.
    pub resumed: bool,
}

/// The answer that is being delivered.
#[derive(Debug, Clone, Default)]
pub struct Answer {
    pub headers: Pairs,
    pub body: Vec<u8>,
}

/// Where the guest is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    Idle,
    Configure,
    Tick,
    Request,
    CallAnswer,
    Response,
}

/// Everything one VM's host calls read and write.
#[derive(Debug)]
pub struct State {
    pub personality: Personality,
    pub process: Rc<Process>,
    pub configuration: Vec<u8>,
    pub phase: Phase,
    pub effective: u32,
    pub exchanges: BTreeMap<u32, Exchange>,
    pub answer: Option<Answer>,
    pub dispatched: Vec<Dispatched>,
    /// Clusters that the gateway does not know / that have no healthy endpoint.
    pub unknown_clusters: Vec<String>,
    pub down_clusters: Vec<String>,
    pub logs: Vec<String>,
    pub properties: BTreeMap<String, Vec<u8>>,
    pub tick: u32,
}

/// One VM.
pub struct Vm {
    pub store: Store<State>,
    instance: Instance,
    pub root: u32,
    contexts: u32,
}

/// The compiled module, shared by all VMs of the test binary.
pub fn module() -> &'static (Engine, Module) {
    static MODULE: std::sync::OnceLock<(Engine, Module)> = std::sync::OnceLock::new();
    MODULE.get_or_init(|| {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/dist/openapi-mcp-filter.wasm");
        let engine = Engine::default();
        let module = Module::from_file(&engine, path)
            .unwrap_or_else(|error| panic!("{path}: {error}; run `make build` first"));
        (engine, module)
    })
}

impl Vm {
    /// Starts a VM and its root context; does not configure it.
    pub fn start(personality: Personality, process: &Rc<Process>) -> Self {
        let (engine, module) = module();
        let state = State {
            personality,
            process: Rc::clone(process),
            configuration: Vec::new(),
            phase: Phase::Idle,
            effective: 0,
            exchanges: BTreeMap::new(),
            answer: None,
            dispatched: Vec::new(),
            unknown_clusters: Vec::new(),
            down_clusters: Vec::new(),
            logs: Vec::new(),
            properties: BTreeMap::new(),
            tick: 0,
        };
        let mut store = Store::new(engine, state);
        let mut linker = Linker::new(engine);
        super::imports::add(&mut linker).unwrap();
        linker.define_unknown_imports_as_traps(module).unwrap();
        let instance = linker.instantiate(&mut store, module).unwrap();
        let mut vm = Self { store, instance, root: 0, contexts: 0 };
        vm.call("_initialize", &[]).unwrap();
        vm
    }

    pub fn state(&mut self) -> &mut State {
        self.store.data_mut()
    }

    /// A new root context with a configuration; returns what `on_configure` answers.
    pub fn configure(&mut self, configuration: &str) -> Result<bool> {
        self.contexts += 1;
        self.root = self.contexts;
        let root = self.root.cast_signed();
        self.call("proxy_on_context_create", &[root, 0])?;
        self.call("proxy_on_vm_start", &[root, 0])?;
        self.state().configuration = configuration.as_bytes().to_vec();
        let size = i32::try_from(configuration.len()).unwrap();
        self.in_phase(Phase::Configure, root, |vm| vm.call("proxy_on_configure", &[root, size]))
            .map(|answer| answer != 0)
    }

    pub fn tick(&mut self) -> Result<()> {
        let root = self.root.cast_signed();
        self.in_phase(Phase::Tick, root, |vm| vm.call("proxy_on_tick", &[root])).map(|_| ())
    }

    /// A new HTTP context.
    pub fn open(&mut self, exchange: Exchange) -> Result<u32> {
        self.contexts += 1;
        let id = self.contexts;
        self.state().exchanges.insert(id, exchange);
        let root = self.root.cast_signed();
        self.call("proxy_on_context_create", &[id.cast_signed(), root])?;
        Ok(id)
    }

    /// Calls a callback of an HTTP context; returns the action (0 continue, 1 pause).
    pub fn http(&mut self, callback: &str, id: u32, arguments: &[i32]) -> Result<i32> {
        let phase = if callback.contains("response") { Phase::Response } else { Phase::Request };
        let mut all = vec![id.cast_signed()];
        all.extend_from_slice(arguments);
        self.in_phase(phase, id.cast_signed(), |vm| vm.call(callback, &all))
    }

    /// Delivers the answer to a dispatched call.
    pub fn answer(&mut self, token: u32, answer: Answer) -> Result<()> {
        let position = self.state().dispatched.iter().position(|call| call.token == token).unwrap();
        let call = self.state().dispatched.remove(position);
        let context = call.context.cast_signed();
        let (headers, body) = (answer.headers.len(), answer.body.len());
        let count =
            if answer.headers.iter().all(|(n, _)| n == ":dispatch_status") { 0 } else { headers };
        self.state().answer = Some(answer);
        let arguments = [
            context,
            token.cast_signed(),
            i32::try_from(count).unwrap(),
            i32::try_from(body).unwrap(),
            0,
        ];
        let result = self.in_phase(Phase::CallAnswer, context, |vm| {
            vm.call("proxy_on_http_call_response", &arguments)
        });
        self.state().answer = None;
        result.map(|_| ())
    }

    /// The client is gone, or the exchange is over.
    pub fn close(&mut self, id: u32) -> Result<()> {
        if self.instance.get_func(&mut self.store, "proxy_on_done").is_some() {
            self.call("proxy_on_done", &[id.cast_signed()])?;
        }
        self.call("proxy_on_delete", &[id.cast_signed()])?;
        self.state().exchanges.remove(&id);
        Ok(())
    }

    fn in_phase<T>(
        &mut self,
        phase: Phase,
        context: i32,
        work: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<T> {
        self.state().phase = phase;
        self.state().effective = context.cast_unsigned();
        let result = work(self);
        self.state().phase = Phase::Idle;
        result
    }

    fn call(&mut self, name: &str, arguments: &[i32]) -> Result<i32> {
        let Some(function) = self.instance.get_func(&mut self.store, name) else {
            bail!("the module does not export {name}");
        };
        let arguments =
            arguments.iter().map(|value| wasmtime::Val::I32(*value)).collect::<Vec<_>>();
        let count = function.ty(&self.store).results().len();
        let mut results = vec![wasmtime::Val::I32(0); count];
        function.call(&mut self.store, &arguments, &mut results)?;
        Ok(results.first().and_then(wasmtime::Val::i32).unwrap_or(0))
    }
}

pub type Guest<'a> = Caller<'a, State>;

pub fn memory(guest: &mut Guest<'_>) -> Memory {
    guest.get_export("memory").and_then(wasmtime::Extern::into_memory).unwrap()
}

pub fn read(guest: &mut Guest<'_>, pointer: i32, size: i32) -> Vec<u8> {
    let memory = memory(guest);
    let start = usize::try_from(pointer.cast_unsigned()).unwrap();
    let size = usize::try_from(size.cast_unsigned()).unwrap();
    memory.data(&guest)[start..start + size].to_vec()
}

pub fn read_text(guest: &mut Guest<'_>, pointer: i32, size: i32) -> String {
    String::from_utf8_lossy(&read(guest, pointer, size)).into_owned()
}

pub fn write(guest: &mut Guest<'_>, pointer: i32, bytes: &[u8]) {
    let memory = memory(guest);
    memory.write(guest, usize::try_from(pointer.cast_unsigned()).unwrap(), bytes).unwrap();
}

/// Gives bytes to the guest in memory that the guest allocates.
pub fn give(guest: &mut Guest<'_>, bytes: &[u8], data: i32, size: i32) -> Result<()> {
    let allocate =
        guest.get_export("proxy_on_memory_allocate").and_then(wasmtime::Extern::into_func);
    let allocate = allocate.unwrap().typed::<i32, i32>(&guest)?;
    let length = i32::try_from(bytes.len())?;
    let pointer = allocate.call(&mut *guest, length)?;
    write(guest, pointer, bytes);
    write(guest, data, &pointer.to_le_bytes());
    write(guest, size, &length.to_le_bytes());
    Ok(())
}

pub fn serialize(pairs: &Pairs) -> Vec<u8> {
    let number = |value: usize| u32::try_from(value).unwrap().to_le_bytes();
    let mut bytes = number(pairs.len()).to_vec();
    for (name, value) in pairs {
        bytes.extend(number(name.len()));
        bytes.extend(number(value.len()));
    }
    for (name, value) in pairs {
        bytes.extend(name.bytes().chain([0]).chain(value.bytes()).chain([0]));
    }
    bytes
}

pub fn deserialize(bytes: &[u8]) -> Pairs {
    let number = |at: usize| {
        usize::try_from(u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())).unwrap()
    };
    if bytes.is_empty() {
        return Pairs::new();
    }
    let count = number(0);
    let mut at = 4 + count * 8;
    let mut text = |size: usize| {
        let text = String::from_utf8_lossy(&bytes[at..at + size]).into_owned();
        at += size + 1;
        text
    };
    (0..count)
        .map(|i| {
            let name = text(number(4 + i * 8));
            (name, text(number(8 + i * 8)))
        })
        .collect()
}

impl Process {
    pub fn next_token(&self) -> u32 {
        self.tokens.set(self.tokens.get() + 1);
        self.tokens.get()
    }

    pub fn next_cas(&self) -> u32 {
        self.cas.set(self.cas.get() + 1);
        self.cas.get()
    }

    pub fn metric(&self, name: &str) -> u32 {
        let mut names = self.metric_names.borrow_mut();
        let position = names.iter().position(|known| known == name).unwrap_or_else(|| {
            names.push(name.to_owned());
            names.len() - 1
        });
        u32::try_from(position).unwrap()
    }

    pub fn metric_name(&self, number: u32) -> String {
        self.metric_names.borrow()[usize::try_from(number).unwrap()].clone()
    }
}
