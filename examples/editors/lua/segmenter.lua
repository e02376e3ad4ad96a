-- Chinese words in Neovim: w, b, e and iw move by and select words, over the C library of segmenter-zh.
--
--   vim.opt.runtimepath:append("/path/to/examples/editors")
--   require("segmenter").setup()   -- library and models: python3 -m segmenter.capi --library, --models
--
-- Options of setup(): library, models, preset ("fast"), user (the text of a user dictionary), python
-- ("python3", which prints the paths if library or models are missing).

local ffi = require("ffi")

ffi.cdef([[
typedef struct segmenter_engine segmenter_engine;
typedef struct segmenter_worker segmenter_worker;
typedef struct { size_t struct_size; const char *folder, *preset, *standard, *decoder, *oov, *skip, *atoms,
  *user; size_t user_size; } segmenter_options;
typedef struct { uint32_t start, end, position, position_length; int32_t kind, reserved; } segmenter_token;
int segmenter_open(const segmenter_options*, segmenter_engine**, char*, size_t);
int segmenter_worker_new(const segmenter_engine*, segmenter_worker**);
const char* segmenter_error(const segmenter_worker*);
const char* segmenter_kind_name(int);
int segmenter_token_at(segmenter_worker*, const char*, size_t, size_t, int, int,
  const segmenter_token**, size_t*);
]])

local M = {}
local AT, NEXT, PREVIOUS = 0, 1, 2 -- segmenter_place
local BYTES = 1 -- segmenter_unit
local library, worker
local token, count = ffi.new("const segmenter_token*[1]"), ffi.new("size_t[1]")

local function path_of(python, option)
  local path = vim.fn.systemlist({ python, "-m", "segmenter.capi", option })[1]
  if vim.v.shell_error ~= 0 then error("segmenter: " .. (path or python .. " does not run")) end
  return path
end

-- The word of a line at, after or before a byte: its start, end and kind; nil: there is none.
local function word(line, byte, place)
  if library.segmenter_token_at(worker, line, #line, byte, place, BYTES, token, count) ~= 0 then
    -- a line that is not UTF-8, for example
    error("segmenter: " .. ffi.string(library.segmenter_error(worker)))
  end
  if count[0] == 0 then return nil end
  local first = token[0][0]
  return first.start, first["end"], ffi.string(library.segmenter_kind_name(first.kind))
end

-- The last character of a line's first bytes.
local function last_character(line, bytes) return vim.fn.matchstr(line:sub(1, bytes), ".$") end

local function line_of(row) return vim.api.nvim_buf_get_lines(0, row - 1, row, true)[1] end

-- As `w`: the next word or empty line; at the end of the text the last character, and true.
local function next_word(row, byte)
  local start = word(line_of(row), byte, NEXT)
  while not start do
    if row == vim.api.nvim_buf_line_count(0) then return row, math.max(#line_of(row) - 1, 0), true end
    row = row + 1
    local line = line_of(row)
    if line == "" then return row, 0 end
    local _, _, kind = word(line, 0, AT)
    start = kind ~= "space" and 0 or word(line, 0, NEXT)
  end
  return row, start
end

-- As `b`: the start of this word or of the previous one, or an empty line.
local function previous_word(row, byte)
  local start = word(line_of(row), byte, PREVIOUS)
  while not start do
    if row == 1 then return 1, 0 end
    row = row - 1
    local line = line_of(row)
    if line == "" then return row, 0 end
    start = word(line, #line, PREVIOUS)
  end
  return row, start
end

-- As `e`: the last character of this word or, from there, of the next one.
local function word_end(row, byte)
  local line = line_of(row)
  local _, stop, kind = word(line, byte, AT)
  if not stop or kind == "space" or stop <= byte + #vim.fn.matchstr(line:sub(byte + 1), "^.") then
    repeat -- empty lines are passed over
      local at_end
      row, byte, at_end = next_word(row, byte)
      if at_end then return row, byte end
      line = line_of(row)
      _, stop = word(line, byte, AT)
    until stop
  end
  return row, stop - #last_character(line, stop)
end

local function select_to(row, byte, stop)
  local line = line_of(row)
  vim.cmd("normal! v")
  vim.api.nvim_win_set_cursor(0, { row, math.max(stop - #last_character(line, stop), byte) })
end

function M.w()
  local row, byte = unpack(vim.api.nvim_win_get_cursor(0))
  local operating = vim.fn.mode(1):sub(1, 2) == "no"
  local start_row, start_byte = row, byte
  if operating and vim.v.operator == "c" then -- cw leaves the blanks after the word, as in Vim
    local _, stop, kind = word(line_of(row), byte, AT)
    if stop and kind ~= "space" and vim.v.count1 == 1 then return select_to(row, byte, stop) end
  end
  local at_end
  for _ = 1, vim.v.count1 do row, byte, at_end = next_word(row, byte) end
  if not operating then return vim.api.nvim_win_set_cursor(0, { row, byte }) end
  if at_end then byte = #line_of(row) end
  if row > start_row and line_of(row):sub(1, byte):match("^%s*$") then -- dw on the last word keeps the line's end
    row = row - 1
    byte = #line_of(row)
  end
  if row == start_row and byte <= start_byte then return end
  vim.cmd("normal! v")
  vim.api.nvim_win_set_cursor(0, { row, byte - #last_character(line_of(row), byte) })
end

function M.b()
  local row, byte = unpack(vim.api.nvim_win_get_cursor(0))
  for _ = 1, vim.v.count1 do row, byte = previous_word(row, byte) end
  vim.api.nvim_win_set_cursor(0, { row, byte })
end

function M.e()
  local row, byte = unpack(vim.api.nvim_win_get_cursor(0))
  if vim.fn.mode(1):sub(1, 2) == "no" then vim.cmd("normal! v") end
  for _ = 1, vim.v.count1 do row, byte = word_end(row, byte) end
  vim.api.nvim_win_set_cursor(0, { row, byte })
end

function M.iw()
  local row, byte = unpack(vim.api.nvim_win_get_cursor(0))
  local start, stop = word(line_of(row), byte, AT)
  if not start then return end
  if vim.fn.mode():match("[vV]") then vim.cmd("normal! \27") end
  vim.api.nvim_win_set_cursor(0, { row, start })
  select_to(row, start, stop)
end

function M.setup(options)
  options = options or {}
  local python = options.python or "python3"
  library = ffi.load(options.library or path_of(python, "--library"))
  local c_options = ffi.new("segmenter_options")
  local folder, preset = options.models or path_of(python, "--models"), options.preset or "fast"
  c_options.struct_size = ffi.sizeof(c_options)
  c_options.folder, c_options.preset = folder, preset
  if options.user then c_options.user, c_options.user_size = options.user, #options.user end
  local engine, message = ffi.new("segmenter_engine*[1]"), ffi.new("char[512]")
  if library.segmenter_open(c_options, engine, message, 512) ~= 0 then error("segmenter: " .. ffi.string(message)) end
  local worker_out = ffi.new("segmenter_worker*[1]")
  if library.segmenter_worker_new(engine[0], worker_out) ~= 0 then error("segmenter: no memory") end
  worker = worker_out[0]
  for _, key in ipairs({ "w", "b", "e" }) do
    vim.keymap.set({ "n", "x", "o" }, key, "<Cmd>lua require('segmenter')." .. key .. "()<CR>")
  end
  vim.keymap.set({ "x", "o" }, "iw", "<Cmd>lua require('segmenter').iw()<CR>")
end

return M
