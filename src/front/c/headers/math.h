#pragma once
double ceil(double x);
double cos(double x);
double exp(double x);
double fabs(double x);
double floor(double x);
double log(double x);
double pow(double x, double y);
double sin(double x);
double sqrt(double x);
#define M_PI 3.14159265358979323846
