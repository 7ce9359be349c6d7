/* No machine has its own way to wait for the owner before it. */
#pragma once
