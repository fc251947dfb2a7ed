//! The host calls: Proxy-Wasm ABI 0.2.1 and the part of WASI that a Rust module needs.

use wasmtime::{Linker, Result, bail};

use super::host::{
    BAD_ARGUMENT, CAS_MISMATCH, Dispatched, Guest, INTERNAL_FAILURE, NOT_FOUND, OK, Pairs,
    Personality, Phase, Reply, State, deserialize, give, read, read_text, serialize, write,
};

const REQUEST_BODY: i32 = 0;
const CALL_BODY: i32 = 4;
const PLUGIN_CONFIGURATION: i32 = 7;
const REQUEST_HEADERS: i32 = 0;
const RESPONSE_HEADERS: i32 = 2;
const CALL_HEADERS: i32 = 6;

/// Zone that the nginx personality declares; keys elsewhere trap.
pub const NGINX_ZONE: &str = "mcp/";
/// Largest shared value in that zone, in bytes.
const NGINX_VALUE: usize = 4 << 20;

pub fn add(linker: &mut Linker<State>) -> Result<()> {
    environment(linker)?;
    messages(linker)?;
    data(linker)?;
    metrics(linker)?;
    wasi(linker)
}

fn nginx(guest: &Guest<'_>) -> bool {
    guest.data().personality == Personality::Nginx
}

fn environment(linker: &mut Linker<State>) -> Result<()> {
    linker.func_wrap("env", "proxy_log", |mut guest: Guest<'_>, level: i32, p: i32, n: i32| {
        let text = read_text(&mut guest, p, n);
        let name = ["trace", "debug", "info", "warn", "error", "critical"];
        let line = format!("{}: {text}", name[usize::try_from(level).unwrap()]);
        guest.data_mut().logs.push(line);
        OK
    })?;
    linker.func_wrap("env", "proxy_get_log_level", |mut guest: Guest<'_>, out: i32| {
        if nginx(&guest) {
            bail!("proxy_get_log_level is not implemented");
        }
        write(&mut guest, out, &1_u32.to_le_bytes());
        Ok(OK)
    })?;
    linker.func_wrap(
        "env",
        "proxy_get_current_time_nanoseconds",
        |mut guest: Guest<'_>, out: i32| {
            let now = guest.data().process.now.get() * 1_000_000;
            write(&mut guest, out, &now.to_le_bytes());
            OK
        },
    )?;
    linker.func_wrap(
        "env",
        "proxy_set_tick_period_milliseconds",
        |mut guest: Guest<'_>, period: i32| {
            let root = !guest.data().exchanges.contains_key(&guest.data().effective);
            if nginx(&guest) && (!root || guest.data().tick != 0) {
                bail!("tick period already set, or not in a root context");
            }
            guest.data_mut().tick = period.cast_unsigned();
            Ok(OK)
        },
    )?;
    linker.func_wrap(
        "env",
        "proxy_get_property",
        |mut guest: Guest<'_>, p: i32, n: i32, data: i32, size: i32| {
            let path = read_text(&mut guest, p, n).trim_end_matches('\0').replace('\0', ".");
            let state = guest.data();
            let root = !state.exchanges.contains_key(&state.effective);
            if nginx(&guest) {
                if path == "plugin_name" && state.phase == Phase::Configure {
                    bail!("segmentation fault: plugin_name in on_configure");
                }
                if root && path.contains('.') {
                    return Ok(INTERNAL_FAILURE);
                }
                if path == "ngx.nginx_version" {
                    give(&mut guest, b"1026003", data, size)?;
                    return Ok(OK);
                }
            }
            match guest.data().properties.get(&path).cloned() {
                Some(value) => give(&mut guest, &value, data, size).map(|()| OK),
                None => Ok(NOT_FOUND),
            }
        },
    )?;
    linker.func_wrap("env", "proxy_set_effective_context", |mut guest: Guest<'_>, id: i32| {
        guest.data_mut().effective = id.cast_unsigned();
        OK
    })?;
    Ok(())
}

fn messages(linker: &mut Linker<State>) -> Result<()> {
    linker.func_wrap(
        "env",
        "proxy_get_buffer_bytes",
        |mut guest: Guest<'_>, kind: i32, start: i32, max: i32, data: i32, size: i32| {
            let nginx = nginx(&guest);
            let state = guest.data();
            let exchange = state.exchanges.get(&state.effective);
            let bytes = match kind {
                PLUGIN_CONFIGURATION => state.configuration.clone(),
                REQUEST_BODY if nginx && state.phase == Phase::CallAnswer => {
                    bail!("request body read in a call response")
                }
                REQUEST_BODY => match exchange {
                    Some(exchange) if exchange.spilled || exchange.body.is_empty() => {
                        return Ok(NOT_FOUND);
                    }
                    Some(exchange) => exchange.body.clone(),
                    None => return Ok(BAD_ARGUMENT),
                },
                CALL_BODY => match &state.answer {
                    Some(answer) if !answer.body.is_empty() => answer.body.clone(),
                    Some(_) => return Ok(NOT_FOUND),
                    None => return Ok(BAD_ARGUMENT),
                },
                _ => return Ok(BAD_ARGUMENT),
            };
            let start = if nginx { 0 } else { usize::try_from(start)? };
            let max = usize::try_from(max.cast_unsigned())?;
            let end = bytes.len().min(start.saturating_add(max));
            give(&mut guest, &bytes[start.min(end)..end], data, size)?;
            Ok(OK)
        },
    )?;
    linker.func_wrap(
        "env",
        "proxy_get_header_map_pairs",
        |mut guest: Guest<'_>, kind: i32, data: i32, size: i32| match map(&guest, kind) {
            Some(pairs) => give(&mut guest, &serialize(&pairs), data, size).map(|()| OK),
            None => Ok(BAD_ARGUMENT),
        },
    )?;
    linker.func_wrap(
        "env",
        "proxy_get_header_map_value",
        |mut guest: Guest<'_>, kind: i32, p: i32, n: i32, data: i32, size: i32| {
            let name = read_text(&mut guest, p, n);
            let Some(pairs) = map(&guest, kind) else { return Ok(BAD_ARGUMENT) };
            match pairs.iter().find(|(known, _)| known.eq_ignore_ascii_case(&name)) {
                Some((_, value)) => give(&mut guest, value.as_bytes(), data, size).map(|()| OK),
                None => Ok(NOT_FOUND),
            }
        },
    )?;
    linker.func_wrap(
        "env",
        "proxy_remove_header_map_value",
        |mut guest: Guest<'_>, kind: i32, p: i32, n: i32| {
            let name = read_text(&mut guest, p, n);
            let id = guest.data().effective;
            if kind == RESPONSE_HEADERS
                && let Some(exchange) = guest.data_mut().exchanges.get_mut(&id)
                && let Some(headers) = &mut exchange.response_headers
            {
                headers.retain(|(known, _)| *known != name);
            }
            OK
        },
    )?;
    linker.func_wrap("env", "proxy_send_local_response", send)?;
    linker.func_wrap("env", "proxy_http_call", http_call)?;
    linker.func_wrap("env", "proxy_continue_stream", |mut guest: Guest<'_>, _kind: i32| {
        let id = guest.data().effective;
        if let Some(exchange) = guest.data_mut().exchanges.get_mut(&id) {
            exchange.resumed = true;
        }
        OK
    })?;
    Ok(())
}

/// A header map; `None` where the host answers that there is none.
fn map(guest: &Guest<'_>, kind: i32) -> Option<Pairs> {
    let state = guest.data();
    let exchange = state.exchanges.get(&state.effective);
    match kind {
        REQUEST_HEADERS => exchange.filter(|e| !e.resumed).map(|e| e.headers.clone()),
        RESPONSE_HEADERS => exchange.and_then(|e| e.response_headers.clone()),
        CALL_HEADERS => {
            let answer = state.answer.as_ref()?;
            let failed = answer.headers.is_empty();
            (!failed || nginx(guest)).then(|| answer.headers.clone())
        }
        _ => None,
    }
}

#[allow(clippy::too_many_arguments, reason = "the signature is the ABI's")]
fn send(
    mut guest: Guest<'_>,
    status: i32,
    _details: i32,
    _details_size: i32,
    body: i32,
    body_size: i32,
    headers: i32,
    headers_size: i32,
    _grpc: i32,
) -> i32 {
    let headers = deserialize(&read(&mut guest, headers, headers_size));
    let mut body = read(&mut guest, body, body_size);
    let id = guest.data().effective;
    if nginx(&guest) {
        body.push(b'\n');
    }
    match guest.data_mut().exchanges.get_mut(&id) {
        Some(exchange) if exchange.reply.is_none() => {
            exchange.reply = Some(Reply { status: status.cast_unsigned(), headers, body });
            OK
        }
        _ => BAD_ARGUMENT,
    }
}

#[allow(clippy::too_many_arguments, reason = "the signature is the ABI's")]
fn http_call(
    mut guest: Guest<'_>,
    cluster: i32,
    cluster_size: i32,
    headers: i32,
    headers_size: i32,
    body: i32,
    body_size: i32,
    _trailers: i32,
    _trailers_size: i32,
    timeout: i32,
    token_out: i32,
) -> Result<i32> {
    let cluster = read_text(&mut guest, cluster, cluster_size);
    let headers = deserialize(&read(&mut guest, headers, headers_size));
    let body = read(&mut guest, body, body_size);
    let has = |name: &str| headers.iter().any(|(n, v)| n == name && !v.is_empty());
    let complete = has(":method") && has(":path");
    if nginx(&guest) {
        if guest.data().phase == Phase::Configure {
            bail!("dispatch in on_configure");
        }
        if !complete || cluster.is_empty() || cluster.contains("://") {
            bail!("dispatch with a bad target or without :method and :path");
        }
        if headers.iter().any(|(name, _)| name == "content-length") {
            bail!("content-length is trusted: a wrong one cuts the body");
        }
    } else if !complete || !has(":authority") || guest.data().unknown_clusters.contains(&cluster) {
        return Ok(BAD_ARGUMENT);
    } else if guest.data().down_clusters.contains(&cluster) {
        return Ok(INTERNAL_FAILURE);
    }
    let token = guest.data().process.next_token();
    let context = guest.data().effective;
    let timeout = timeout.cast_unsigned();
    let call = Dispatched { token, context, cluster, headers, body, timeout };
    guest.data_mut().dispatched.push(call);
    write(&mut guest, token_out, &token.to_le_bytes());
    Ok(OK)
}

fn data(linker: &mut Linker<State>) -> Result<()> {
    linker.func_wrap(
        "env",
        "proxy_get_shared_data",
        |mut guest: Guest<'_>, p: i32, n: i32, data: i32, size: i32, cas: i32| {
            let key = read_text(&mut guest, p, n);
            check_zone(&guest, &key, 0)?;
            let found = guest.data().process.data.borrow().get(&key).cloned();
            let Some((value, number)) = found else { return Ok(NOT_FOUND) };
            if !value.is_empty() {
                give(&mut guest, &value, data, size)?;
            }
            write(&mut guest, cas, &number.to_le_bytes());
            Ok(OK)
        },
    )?;
    linker.func_wrap(
        "env",
        "proxy_set_shared_data",
        |mut guest: Guest<'_>, p: i32, n: i32, data: i32, size: i32, cas: i32| {
            let key = read_text(&mut guest, p, n);
            let value = read(&mut guest, data, size);
            check_zone(&guest, &key, value.len())?;
            let nginx = nginx(&guest);
            let process = std::rc::Rc::clone(&guest.data().process);
            let mut values = process.data.borrow_mut();
            let cas = cas.cast_unsigned();
            let stale = |current: u32| current != cas && (nginx || cas != 0);
            if values.get(&key).is_some_and(|(_, current)| stale(*current)) {
                return Ok(CAS_MISMATCH);
            }
            values.insert(key, (value, process.next_cas()));
            Ok(OK)
        },
    )?;
    Ok(())
}

fn check_zone(guest: &Guest<'_>, key: &str, size: usize) -> Result<()> {
    if nginx(guest) && (!key.starts_with(NGINX_ZONE) || size > NGINX_VALUE) {
        bail!("no such zone for {key}, or a value of {size} bytes is too large for it");
    }
    Ok(())
}

fn metrics(linker: &mut Linker<State>) -> Result<()> {
    linker.func_wrap(
        "env",
        "proxy_define_metric",
        |mut guest: Guest<'_>, _kind: i32, p: i32, n: i32, out: i32| {
            let name = read_text(&mut guest, p, n);
            let number = guest.data().process.metric(&name);
            write(&mut guest, out, &number.to_le_bytes());
            OK
        },
    )?;
    linker.func_wrap(
        "env",
        "proxy_increment_metric",
        |guest: Guest<'_>, number: i32, by: i64| {
            let process = &guest.data().process;
            let name = process.metric_name(number.cast_unsigned());
            let mut metrics = process.metrics.borrow_mut();
            let value = metrics.entry(name).or_default();
            *value = value.saturating_add_signed(by);
            OK
        },
    )?;
    linker.func_wrap(
        "env",
        "proxy_record_metric",
        |guest: Guest<'_>, number: i32, value: i64| {
            let process = &guest.data().process;
            let name = process.metric_name(number.cast_unsigned());
            process.metrics.borrow_mut().insert(name, value.cast_unsigned());
            OK
        },
    )?;
    Ok(())
}

fn wasi(linker: &mut Linker<State>) -> Result<()> {
    const MODULE: &str = "wasi_snapshot_preview1";
    linker.func_wrap(
        MODULE,
        "fd_write",
        |mut guest: Guest<'_>, _fd: i32, vectors: i32, count: i32, written: i32| {
            let mut total = 0;
            for i in 0..count {
                let entry = read(&mut guest, vectors + i * 8, 8);
                let number = |b: &[u8]| i32::from_le_bytes(b.try_into().unwrap());
                let (p, n) = (number(&entry[..4]), number(&entry[4..]));
                let text = read_text(&mut guest, p, n);
                guest.data_mut().logs.push(format!("stdio: {text}"));
                total += n;
            }
            write(&mut guest, written, &total.to_le_bytes());
            OK
        },
    )?;
    linker.func_wrap(
        MODULE,
        "environ_sizes_get",
        |mut guest: Guest<'_>, count: i32, size: i32| {
            write(&mut guest, count, &0_u32.to_le_bytes());
            write(&mut guest, size, &0_u32.to_le_bytes());
            OK
        },
    )?;
    linker.func_wrap(MODULE, "environ_get", |_: Guest<'_>, _: i32, _: i32| OK)?;
    linker.func_wrap(MODULE, "random_get", |mut guest: Guest<'_>, p: i32, n: i32| {
        let bytes = (0..n).map(|i| u8::try_from(i * 37 % 251).unwrap()).collect::<Vec<_>>();
        write(&mut guest, p, &bytes);
        OK
    })?;
    linker.func_wrap(
        MODULE,
        "clock_time_get",
        |mut guest: Guest<'_>, _clock: i32, _precision: i64, out: i32| {
            let now = guest.data().process.now.get() * 1_000_000;
            write(&mut guest, out, &now.to_le_bytes());
            OK
        },
    )?;
    linker.func_wrap(MODULE, "proc_exit", |_: Guest<'_>, code: i32| -> Result<()> {
        bail!("proc_exit({code})")
    })?;
    Ok(())
}
